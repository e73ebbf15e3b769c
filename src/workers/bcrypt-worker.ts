import { compareSync } from 'bcryptjs'
import type { BcryptTask } from '#src/core/access/bcrypt.ts'
import { serveTasks } from '#src/core/threads/serve-tasks.ts'

serveTasks(({ plain, hash }: BcryptTask) => ({ result: compareSync(plain, hash) }))
