/**
 * Runs the apps of the catalog. {@link petrichor.apps.hosting.Hosting} deploys versions and follows
 * the catalog: per version that may get requests, a {@link petrichor.apps.hosting.Fleet} has as
 * many instances as the version's scaling asks for, and {@link
 * petrichor.apps.hosting.RoutingTables} makes the router's table. A deployment is complete when a
 * new instance is ready; only then does the router send requests to it, so a version that does not
 * start never replaces one that runs.
 */
@NullMarked
package petrichor.apps.hosting;

import org.jspecify.annotations.NullMarked;
