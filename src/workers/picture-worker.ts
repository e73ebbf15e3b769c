import { serveTasks } from '#src/core/threads/serve-tasks.ts'
import { type PictureTask, render } from '#src/files/pictures/render.ts'

serveTasks(
  async (task: PictureTask) => {
    const { result, isSpent } = await render(task)
    const transfer = 'webp' in result ? [result.webp.buffer as ArrayBuffer] : []
    return { result, transfer, isLast: isSpent }
  },
  { isTimed: true },
)
