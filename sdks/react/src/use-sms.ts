/** Reads the code of an SMS, if the browser can (WebOTP). */
import { readCodeFromSms } from '@countersign/web'
import { useEffect, useRef } from 'react'

export function useSms(isWanted: boolean, onCode: (code: string) => void) {
  const latest = useRef(onCode)
  useEffect(() => {
    latest.current = onCode
  })
  useEffect(() => {
    if (!isWanted) return
    const controller = new AbortController()
    void readCodeFromSms(controller.signal).then((code) => {
      if (code && !controller.signal.aborted) latest.current(code)
    })
    return () => controller.abort()
  }, [isWanted])
}
