package petrichor.cluster;

import java.util.function.BooleanSupplier;
import petrichor.kv.Reads;
import petrichor.transactions.databases.RowDatabases;

/**
 * The store of a cluster, as used by one server.
 *
 * @param rows the stored rows
 * @param databases of this process; opened and closed as ownership changes
 * @param lease whether the store still belongs to this cluster at this moment
 */
public record SharedStore(Reads rows, RowDatabases databases, BooleanSupplier lease) {}
