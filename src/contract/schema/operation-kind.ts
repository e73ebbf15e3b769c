import Type from 'typebox'

/** What an operation did. Kinds are public API: clients show a sentence for each. */
export const operationKinds = [
  'create',
  'upload',
  'save',
  'copy',
  'move',
  'delete',
  'restore',
  'undo',
  'redo',
  'share',
  'unshare',
  'users',
  'settings',
  'publish',
  'trash',
  'versions',
  'session',
] as const
export const OperationKind = Type.Enum([...operationKinds])
export type OperationKind = (typeof operationKinds)[number]
