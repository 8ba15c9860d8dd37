/**
 * The targets of deployed apps, measured on the product as users start it: deployments, switches
 * under load, cold starts, memory, and the router beside nginx. {@link
 * petrichor.bench.apps.AppsCommand} is the command, {@link petrichor.bench.apps.HostedApps} the
 * server and the commands that it measures, {@link petrichor.bench.apps.AppFigures} what it found.
 */
@NullMarked
package petrichor.bench.apps;

import org.jspecify.annotations.NullMarked;
