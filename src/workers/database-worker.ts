import { createDatabaseServer } from '#src/core/database/serve-database.ts'
import { serveTasks } from '#src/core/threads/serve-tasks.ts'
import { historySchema } from '#src/state/history-schema.ts'

serveTasks(createDatabaseServer(historySchema))
