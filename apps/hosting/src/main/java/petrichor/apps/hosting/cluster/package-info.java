/**
 * The instances of a cluster together. Each server asks the others twice in a second for a {@link
 * petrichor.apps.hosting.cluster.ServerReading}. For each version, one server, its lead, decides by
 * all readings how many instances there should be, and where; its decision is part of its reading,
 * and the other servers obey it ({@link petrichor.apps.hosting.cluster.ClusterPlan}). Requests go
 * to servers with instances.
 *
 * <p>Nothing of it is stored: a server whose readings are missing drops out, another one becomes
 * the lead, and a server that cannot reach any other one decides alone.
 */
@NullMarked
package petrichor.apps.hosting.cluster;

import org.jspecify.annotations.NullMarked;
