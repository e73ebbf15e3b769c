import { type App, at } from '#src/http/at.ts'
import { docsPolicy } from './headers.ts'
import { describeApi } from './openapi/document.ts'
import { docsPage } from './openapi/page.ts'

/** GET /health, and the description of the API: GET /api/openapi.json for programs, GET /api/docs for people. */
export async function systemRoutes(app: App) {
  app.route({ ...at('GET /health'), handler: async () => ({ status: 'OK' }) as const })

  const { instanceInfo } = app.services
  // Created once, at the first request. It depends only on the base URL of the instance.
  let cached: { json: string; page: string } | undefined
  const documents = async () => {
    if (cached) return cached
    const document = describeApi((await instanceInfo.settings()).BaseURL)
    cached = { json: JSON.stringify(document), page: docsPage(document) }
    return cached
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
