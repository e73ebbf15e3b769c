import { proxy } from 'valtio'

/** Whether the path is edited as text, in the place of the breadcrumbs. */
export const pathField = proxy({ isOpen: false })
