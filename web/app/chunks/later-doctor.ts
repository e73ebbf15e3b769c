// One chunk for the health check. Only administrators who open it load it.
export { DoctorPage } from '#web/features/doctor/doctor-page.tsx'
