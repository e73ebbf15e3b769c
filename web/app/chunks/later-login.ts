// One chunk for the way in: who is signed in never fetches it.
export { LoginPage } from '#web/features/login/login-page.tsx'
