import Type from 'typebox'

/** The user's own password, for requests that need a proof of it (contract/README.md#users-and-settings). */
export const currentPassword = Type.Optional(Type.String({ maxLength: 1024 }))
