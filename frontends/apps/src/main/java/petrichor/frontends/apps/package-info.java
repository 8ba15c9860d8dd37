/**
 * Deployments, and the apps of a deployment, as pages for operators and the command line: {@link
 * petrichor.frontends.apps.DeploymentPage} and {@link petrichor.frontends.apps.AppPages}.
 */
@NullMarked
package petrichor.frontends.apps;

import org.jspecify.annotations.NullMarked;
