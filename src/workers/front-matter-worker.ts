import { serveTasks } from '#src/core/threads/serve-tasks.ts'
import { runFrontMatterTask } from '#src/site/front-matter/front-matter-task.ts'

serveTasks(runFrontMatterTask, { isTimed: true })
