import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { browsers } from './vite/browsers.ts'
import { contractModule } from './vite/contract-module.ts'
import { firstLoadBudget } from './vite/first-load-budget.ts'

/** The most gzipped script that a page may need before it shows. */
const budgetBytes = 300_000

export default defineConfig({
  base: '/dashboard/',
  plugins: [contractModule(), react(), tailwindcss(), firstLoadBudget(budgetBytes)],
  build: {
    target: browsers,
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Off, since a slow machine is not a fault of the build.
      checks: { bundlerTimings: false },
      // Small parts that three or more pages share travel together instead of one request each.
      output: {
        codeSplitting: {
          groups: [
            {
              // Pages without a form do not load the form library and the contract's schemas.
              name: 'forms',
              test: /dashboard[\\/]src[\\/](components|lib)[\\/]form[\\/]|[\\/]contract[\\/]src[\\/](?!decision-words|sentences)|[\\/](react-hook-form|zod)[\\/]/,
              minShareCount: 2,
              // What forms are drawn with is used by every page.
              includeDependenciesRecursively: false,
            },
            {
              name: 'shared',
              test: /dashboard[\\/]src[\\/](components[\\/]ui|lib(?![\\/]form[\\/]))[\\/]|lucide-react/,
              priority: 1,
              minShareCount: 3,
            },
          ],
        },
      },
    },
  },
  // All that is no page of the dashboard, so that what the service prints can be followed. The service sees the page's own
  // host, as it does when it serves the page itself.
  server: {
    proxy: {
      '^/(?!dashboard(?:[/?]|$))[^?]': {
        target: `http://localhost:${process.env.PORT ?? 3000}`,
        changeOrigin: false,
      },
    },
  },
})
