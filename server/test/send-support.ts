/** Nodes that know an address of every class: one that is called directly, and one behind proxies. */
import { Capture } from './harness/capture.ts'
import { type IpList, writeIpSources } from './harness/ip-sources.ts'
import { type Node, startNode } from './harness/node.ts'
import { type Service, startService } from './harness/service.ts'
import { closeAll } from './harness/two-nodes.ts'

export const listed = {
  abusive: '45.155.205.9',
  tor: '185.220.101.7',
  proxy: '45.86.200.1',
  vpn: '193.32.249.1',
  hosting: '3.5.140.2',
  relay: '172.224.226.1',
} as const

const lists: IpList[] = [
  ...Object.entries(listed).map(([ipClass, address]) => ({
    class: ipClass,
    text: `# a list\n; with comments\n\n${address.replace(/\d+$/, '0')}/24 ; and a network\n`,
  })),
  { class: 'vpn', text: `${listed.abusive}\n2a0b:f4c2::/32\n` },
]

/** Also the country of an address that a list knows as a VPN's. */
const countries = { '81.2.69.0/24': 'GB', '193.32.249.0/24': 'SE' }

export interface SendService extends Service {
  readonly capture: Capture
  /** The same, behind proxies on this machine and in 10.0.0.0/8. */
  readonly proxied: Node
}

export async function startSendService(): Promise<SendService> {
  const capture = new Capture()
  const sources = await writeIpSources(lists, countries)
  const options = { capture, ipSourcesFile: sources.file }
  const service = await startService(options)
  try {
    const trustedProxies = ['127.0.0.1', '10.0.0.0/8']
    const proxied = await startNode(service.database.url, { ...options, trustedProxies })
    return { ...service, capture, proxied, close: () => closeAll([proxied, service, sources]) }
  } catch (error) {
    await closeAll([service, sources])
    throw error
  }
}
