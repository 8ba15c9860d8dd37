/**
 * Separates instances from each other and from the platform on the network of the machine. All
 * share its interfaces; small programs in the kernel, attached to the control group of an instance
 * ({@link petrichor.apps.instances.network.NetworkGuard}), decide about its sockets:
 *
 * <pre>
 *   connect, sendto ──► address of this machine? ── no ──► allowed
 *                            │ yes
 *                            ├─ a service that the platform offers ──► allowed
 *                            ├─ a socket of the same instance ───────► allowed
 *                            └─ anything else ───────────────────────► EPERM
 *
 *   new connection from another machine to a socket of the instance ──► dropped
 * </pre>
 *
 * {@link petrichor.apps.instances.network.NetworkPolicy} says what is allowed, {@code
 * AddressProgram}, {@code PacketProgram} and {@code SocketProgram} are the programs, {@code
 * BpfCode} writes their instructions, and {@code KernelCalls} loads them. They need no command of
 * the system, and cost an instance nothing while data flows over a connection.
 */
@NullMarked
package petrichor.apps.instances.network;

import org.jspecify.annotations.NullMarked;
