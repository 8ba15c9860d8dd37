/**
 * The comparison of datastores: the same entities, operations and numbers of clients over each
 * store in turn, in this process, so that no front end hides a difference. The operations and the
 * data are those of AppScale's papers ("Key-Value Datastores Comparison in AppScale", 2010; "Data
 * and Application Management in an Open Cloud Platform", 2012, chapters 4 and 5). Start at {@link
 * petrichor.bench.stores.Comparison}.
 *
 * <p>Also the cost of transactions over those stores, compared with their bare drivers ({@link
 * petrichor.bench.stores.DriverComparison}) and with ScalarDB ({@link
 * petrichor.bench.stores.Transferring}).
 */
@NullMarked
package petrichor.bench.stores;

import org.jspecify.annotations.NullMarked;
