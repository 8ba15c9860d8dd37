/**
 * Simulates the social workload of seed 004 on 100 to 10,000 nodes: users, tweets and timelines,
 * placed by each strategy, with and without indexes.
 *
 * <p>{@link petrichor.placement.simulation.SocialData} holds the tuples, {@link
 * petrichor.placement.simulation.Reads} the tuples that each read needs, {@link
 * petrichor.placement.simulation.Layout} the node of each tuple, and {@link
 * petrichor.placement.simulation.Simulation} measures one layout: nodes per operation, balance, and
 * latency with queues.
 */
@NullMarked
package petrichor.placement.simulation;

import org.jspecify.annotations.NullMarked;
