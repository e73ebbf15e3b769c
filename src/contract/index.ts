import { auth } from './auth.ts'
import { resources } from './resources.ts'
import { search } from './search.ts'
import { shares } from './shares.ts'
import { system } from './system.ts'
import { users } from './users.ts'

/** Every call the server answers. Web code imports the type only. */
export const contract = { ...auth, ...resources, ...search, ...shares, ...users, ...system }
export type Contract = typeof contract
