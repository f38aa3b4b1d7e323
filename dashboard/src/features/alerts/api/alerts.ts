import { useQuery } from '@tanstack/react-query'
import type { InputOf } from '#lib/client.ts'
import { queryOf } from '#lib/queries.ts'
import { useChange } from '#lib/use-change.ts'

/** A company, or null for the operator's own alerts. */
export type AlertOwner = string | null

const refreshMs = 15_000

export function useAlerts(owner: AlertOwner) {
  const ofCompany = useQuery({
    ...queryOf('getAlerts', { params: { company_id: owner ?? '' } }),
    enabled: owner !== null,
    refetchInterval: refreshMs,
  })
  const ofOperator = useQuery({
    ...queryOf('getOperatorAlerts', {}),
    enabled: owner === null,
    refetchInterval: refreshMs,
  })
  return owner === null ? ofOperator : ofCompany
}

export function usePutAlerts(owner: AlertOwner) {
  const options = { says: 'Alerts saved', problems: 'form' } as const
  const ofCompany = useChange('putAlerts', { ...options, refreshes: ['getAlerts'] })
  const ofOperator = useChange('putOperatorAlerts', { ...options, refreshes: ['getOperatorAlerts'] })
  return (body: InputOf<'putOperatorAlerts'>['body']) =>
    owner === null
      ? ofOperator.mutateAsync({ body })
      : ofCompany.mutateAsync({ params: { company_id: owner }, body })
}

export function useRotateSecret(owner: AlertOwner, onSecret: (secret: string) => void) {
  const options = {
    says: 'Signing secret rotated',
    problems: 'form',
    onDone: ({ signing_secret }: { readonly signing_secret: string }) => onSecret(signing_secret),
  } as const
  const ofCompany = useChange('rotateAlertSecret', options)
  const ofOperator = useChange('rotateOperatorAlertSecret', options)
  return () =>
    owner === null ? ofOperator.mutateAsync({}) : ofCompany.mutateAsync({ params: { company_id: owner } })
}

export function useTestAlerts(owner: AlertOwner) {
  const ofCompany = useChange('testAlerts')
  const ofOperator = useChange('testOperatorAlerts')
  return {
    isPending: ofCompany.isPending || ofOperator.isPending,
    run: () =>
      owner === null ? ofOperator.mutateAsync({}) : ofCompany.mutateAsync({ params: { company_id: owner } }),
  }
}
