import { serveTasks } from '#src/core/threads/serve-tasks.ts'
import type { FoundMetadata } from '#src/files/metadata/read-batch.ts'
import { type MetadataTask, runMetadataTask } from '#src/files/metadata/tasks.ts'

serveTasks(
  async (task: MetadataTask, send: (found: FoundMetadata) => void) => ({
    result: await runMetadataTask(task, send),
  }),
  { isTimed: true },
)
