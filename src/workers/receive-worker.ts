import { serveTasks } from '#src/core/threads/serve-tasks.ts'
import { readFromSocket, type SocketTask } from '#src/files/receiving/socket-task.ts'

serveTasks((task: SocketTask, report: (position: number) => void) => ({
  result: readFromSocket(task, report),
}))
