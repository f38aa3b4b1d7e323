/** `npm run dev`: the service from its sources, with the simulator, and the dashboard; both follow every change. */
import { spawn } from 'node:child_process'
import { prepare, root } from './prepare.mjs'
import { whileStoppable } from './stoppable.mjs'

const dashboardPort = 5173

await whileStoppable(0, () => prepare())
const page = `http://localhost:${dashboardPort}`
const children = [
  // Browsers use the dashboard's address, so sessions and passkeys belong to that.
  start(
    [
      'node_modules/tsx/dist/cli.mjs',
      'watch',
      '--clear-screen=false',
      '--include=server/migrations/*',
      'server/src/cli.ts',
    ],
    {
      PUBLIC_URL: page,
    },
  ),
  start(['node_modules/vite/bin/vite.js', 'dashboard', '--port', String(dashboardPort), '--strictPort']),
]
console.log(
  `· the dashboard that follows changes: ${page}/dashboard/ (with the session of the link that the service prints)`,
)

function start(args, environment = {}) {
  return spawn(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...environment, ...process.env },
  })
}

let isStopping = false
function stop(signal) {
  if (isStopping) return
  isStopping = true
  for (const child of children) if (signal) child.kill(signal)
}
// If one of the two ends, the other is stopped too.
for (const child of children) child.once('exit', () => stop('SIGTERM'))
// A terminal's Ctrl-C reaches both by itself, and a second signal would end the service at once.
process.on('SIGINT', () => stop(null))
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal))
