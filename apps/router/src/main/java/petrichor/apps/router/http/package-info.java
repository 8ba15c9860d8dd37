/**
 * The rules of HTTP that protect the instances: which requests are refused because another server
 * could read them differently (request smuggling), how their target is normalised, and which header
 * fields neither pass from outside to an instance nor back. These classes know Netty's messages,
 * but no connections.
 */
@NullMarked
package petrichor.apps.router.http;

import org.jspecify.annotations.NullMarked;
