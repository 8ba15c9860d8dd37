/**
 * Deployments, and the apps of a deployment, as pages for operators and the command line: {@link
 * petrichor.frontends.apps.DeploymentPage} and {@link petrichor.frontends.apps.AppPages}. {@link
 * petrichor.frontends.apps.GitPages} are a Git remote per app.
 */
@NullMarked
package petrichor.frontends.apps;

import org.jspecify.annotations.NullMarked;
