import { type App, at } from './at.ts'

/** GET /health and GET /api/openapi.json. */
export async function systemRoutes(app: App) {
  app.route({ ...at('GET /health'), handler: async () => ({ status: 'OK' }) as const })

  app.route({
    ...at('GET /api/openapi.json'),
    handler: async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(JSON.stringify(app.swagger())),
  })
}
