import { createScanServer } from '#src/core/database/serve-scans.ts'
import { serveTasks } from '#src/core/threads/serve-tasks.ts'
import { trashSlice } from '#src/kept/records/trash-slice.ts'

serveTasks(createScanServer({ trash: trashSlice }))
