// One chunk for the shell. Only users who run commands load it.
export { ShellPanel } from '#web/features/shell/shell-panel.tsx'
