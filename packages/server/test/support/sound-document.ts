// Instead of express-openapi-validator's check of a document against the schema of OpenAPI, which compiles that schema for each
// server that a test starts. A gate lints the documents, and servers that run as they are built check them.
export class OpenAPISchemaValidator {
  validate(): { errors: never[] } {
    return { errors: [] }
  }
}
