import { serveTasks } from '#src/core/threads/serve-tasks.ts'
import { type ReadPiece, type ReadTask, readPieces } from '#src/files/archive/read-pieces.ts'

serveTasks<ReadTask, void, ReadPiece>(async (task, report) => ({ result: await readPieces(task, report) }))
