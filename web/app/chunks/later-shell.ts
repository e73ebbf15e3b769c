// One chunk for the shell: only those who run commands fetch it.
export { ShellPanel } from '#web/features/shell/shell-panel.tsx'
