// Starts the browser that all page tests share and prints the address where they connect to it. Ends with its standard
// input. scripts/test.mjs runs it, because starting a browser for each test file takes a second or more.
import { launchServer } from '#web/testing/chromium.ts'

const server = await launchServer()
console.log(server.wsEndpoint())
process.stdin.resume().on('end', async () => {
  await server.close()
  process.exit()
})
