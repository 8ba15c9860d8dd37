/**
 * Where a request goes. A {@link petrichor.apps.router.table.RoutingTable} is an immutable snapshot
 * of all apps: their hosts, dispatch rules, services, versions and traffic splits. The router
 * replaces it as a whole, and a request uses the table that it started with until its end.
 *
 * <p>{@link petrichor.apps.router.table.RoutingTable#match} finds the app, service and perhaps
 * version of a host, {@link petrichor.apps.router.table.DispatchRule} may choose another service by
 * path, {@link petrichor.apps.router.table.TrafficSplit} chooses the version, and the version's
 * {@link petrichor.apps.router.table.UrlHandler}s say whether an instance or a file answers, and
 * who may see it. The rules are those of App Engine's {@code app.yaml} and {@code dispatch.yaml}.
 */
@NullMarked
package petrichor.apps.router.table;

import org.jspecify.annotations.NullMarked;
