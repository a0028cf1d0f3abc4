// Shows the page of a refused form again, with the faults of the form and what was typed.
import { faultOf, type Labels } from './parts/form-faults.tsx'
import type { FormFault } from './refusal.ts'
import {
  type Access,
  type Answer,
  type ContextOf,
  type FormBounds,
  type PageAnswer,
  post,
  type Route,
} from './route.ts'

/** Converts a refusal to faults of a form. Throws errors of other kinds, because the sender of the form did not cause them. */
export type FaultsOf<Context> = (error: unknown, context: Context) => FormFault[]

/**
 * Defines a form that is shown again if it is refused. `show` renders its page, and `faultsOf` are the labels of its fields, or
 * finds its faults.
 */
export function postOrRefuse<A extends Access>(
  path: string,
  access: A,
  show: (context: ContextOf[A]) => PageAnswer | Promise<PageAnswer>,
  faultsOf: Labels | FaultsOf<ContextOf[A]>,
  handle: (context: ContextOf[A]) => Promise<Answer>,
  bounds?: FormBounds,
): Route {
  const find = typeof faultsOf === 'function' ? faultsOf : (error: unknown) => [faultOf(error, faultsOf)]
  const orRefuse = async (context: ContextOf[A]): Promise<Answer> => {
    try {
      return await handle(context)
    } catch (error) {
      const refused = { action: context.path, faults: find(error, context), form: context.form }
      return { ...(await show({ ...context, refused })), status: 400, refused }
    }
  }
  return post(path, access, orRefuse, bounds)
}
