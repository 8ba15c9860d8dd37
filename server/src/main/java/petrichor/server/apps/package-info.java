/**
 * App Engine in this server: the services that apps call, and the apps that it runs. {@link
 * petrichor.server.apps.AppEngine} joins them.
 */
@NullMarked
package petrichor.server.apps;

import org.jspecify.annotations.NullMarked;
