/**
 * App Engine's bundled services on the wire: {@code POST /rpc_http}, as Google's SDKs send it. Each
 * {@link petrichor.frontends.appengine.BundledService} translates the messages of one API, such as
 * memcache, to a service of Petrichor.
 */
@NullMarked
package petrichor.frontends.appengine;

import org.jspecify.annotations.NullMarked;
