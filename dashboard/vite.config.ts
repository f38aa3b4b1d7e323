import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { contractModule } from './vite/contract-module.ts'
import { firstLoadBudget } from './vite/first-load-budget.ts'

/** Gzipped script that any one page may need before it shows. */
const budgetBytes = 300_000

export default defineConfig({
  base: '/dashboard/',
  plugins: [contractModule(), react(), tailwindcss(), firstLoadBudget(budgetBytes)],
  build: {
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      // A slow machine is no fault of the build.
      checks: { bundlerTimings: false },
      // Small parts that several pages share travel together instead of one request each.
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              test: /dashboard[\\/]src[\\/](components[\\/]ui|lib)[\\/]|lucide-react/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  // The service sees the page's own address, as it does where it serves the page itself.
  server: {
    proxy: { '/manage': { target: `http://localhost:${process.env.PORT ?? 3000}`, changeOrigin: false } },
  },
})
