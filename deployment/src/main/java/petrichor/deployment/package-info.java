/**
 * Obtains, configures, starts, watches and stops the servers of datastores, on this machine or over
 * ssh. A datastore's module describes its servers by a {@link
 * petrichor.deployment.StoreDeployment}; this package carries it out.
 */
@NullMarked
package petrichor.deployment;

import org.jspecify.annotations.NullMarked;
