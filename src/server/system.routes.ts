import { type App, at } from '#src/http/at.ts'
import { docsPolicy } from './headers.ts'
import { describe } from './openapi/document.ts'
import { docsPage } from './openapi/page.ts'

/** GET /health, and the description of all calls: GET /api/openapi.json for programs, GET /api/docs for people. */
export async function systemRoutes(app: App) {
  app.route({ ...at('GET /health'), handler: async () => ({ status: 'OK' }) as const })

  const { look } = app.services
  // Made when somebody asks, and once: it says nothing of the instance but where it lies.
  let made: { json: string; page: string } | undefined
  const documents = async () => {
    if (made) return made
    const document = describe((await look.settings()).BaseURL)
    made = { json: JSON.stringify(document), page: docsPage(document) }
    return made
  }

  app.route({
    ...at('GET /api/openapi.json'),
    handler: async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send((await documents()).json),
  })

  app.route({
    ...at('GET /api/docs'),
    handler: async (_request, reply) =>
      reply
        .header('content-security-policy', docsPolicy)
        .type('text/html; charset=utf-8')
        .send((await documents()).page),
  })
}
