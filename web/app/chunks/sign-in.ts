// One chunk for the sign-in page. Signed-in users never load it.
export { LoginPage } from '#web/features/login/login-page.tsx'
