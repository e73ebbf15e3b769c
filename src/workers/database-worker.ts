import { serveTasks } from '#src/core/concurrency/serve-tasks.ts'
import { createDatabaseServer } from '#src/core/database/serve-database.ts'

serveTasks(createDatabaseServer())
