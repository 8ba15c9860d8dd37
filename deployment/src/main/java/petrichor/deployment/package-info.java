/**
 * Obtains, configures, starts, watches and stops the servers of datastores, on this machine or over
 * ssh. What a datastore needs is described by its {@link petrichor.deployment.StoreDeployment},
 * which is part of the datastore's own module; this package carries it out.
 */
@NullMarked
package petrichor.deployment;

import org.jspecify.annotations.NullMarked;
