// npm run contract -- http://host:port user password: tests the rules of the contract on a running server, over HTTP
// only. The user must be an administrator. The run removes the users and the folder that it creates.
import { tryRules } from '#src/contract-tests/run.ts'

const [base, username, password] = process.argv.slice(2)
if (!base || !username || password === undefined || !URL.canParse(base)) {
  console.error('Usage: npm run contract -- http://host:port user password')
  process.exitCode = 2
} else {
  try {
    const { kept, broken } = await tryRules({ base, username, password }, console.log)
    console.log(`# ${kept} rules passed, ${broken} failed`)
    process.exitCode = broken ? 1 : 0
  } catch (error) {
    console.error(`${base} cannot be tested: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 2
  }
}
