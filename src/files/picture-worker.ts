import { type PictureTask, render } from './pictures/render.ts'
import { serveTasks } from './serve-tasks.ts'

// The package for GIF remarks on broken pictures; anybody could fill the server's output with them.
console.log = () => undefined

serveTasks(
  async (task: PictureTask) => {
    const { result, isSpent } = await render(task)
    const transfer = 'webp' in result ? [result.webp.buffer as ArrayBuffer] : []
    return { result, transfer, isLast: isSpent }
  },
  { isTimed: true },
)
