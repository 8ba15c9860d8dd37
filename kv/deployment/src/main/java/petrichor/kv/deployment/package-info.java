/**
 * Obtains, configures, starts, watches and stops the servers of datastores, on this machine or over
 * ssh. What a datastore needs is described by its {@link petrichor.kv.deployment.StoreDeployment},
 * which lies in the datastore's own module; how it is carried out lies here.
 */
@NullMarked
package petrichor.kv.deployment;

import org.jspecify.annotations.NullMarked;
