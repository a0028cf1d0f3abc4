// Shows the page of a refused form again, with the faults of the form and what was typed.
import { faultOf, type Labels } from './parts/form-faults.tsx'
import type { FormFault } from './refusal.ts'
import {
  type Access,
  type Answer,
  type AnyoneContext,
  type ContextOf,
  type FormBounds,
  type PageAnswer,
  post,
  type Route,
} from './route.ts'

/** Converts a refusal to faults of a form. Throws errors of other kinds, because the sender of the form did not cause them. */
type FaultsOf<Context> = (error: unknown, context: Context) => FormFault[]

/**
 * Defines a form that its page shows again after a refusal. `show` renders the page. `faultsOf` finds the faults of the form, by
 * default with these labels of its fields.
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
      return showAgain(context, find(error, context), show)
    }
  }
  return post(path, access, orRefuse, bounds)
}

/** Renders the page of a form with the values that a person typed, and with the faults of the form. */
export async function showAgain<Context extends AnyoneContext>(
  context: Context,
  faults: readonly FormFault[],
  show: (context: Context) => PageAnswer | Promise<PageAnswer>,
): Promise<PageAnswer> {
  const refused = { action: context.path, faults, form: context.form }
  const shown = await show({ ...context, refused })
  return { ...shown, ...(faults.length > 0 && { status: 400 }), refused }
}
