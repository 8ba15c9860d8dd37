package petrichor.kv.hbase;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NamespaceNotFoundException;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.DoNotRetryRegionException;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;
import org.apache.hadoop.hbase.exceptions.FailedSanityCheckException;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.ipc.RemoteException;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;

/** Translates the driver's exceptions. */
final class HBaseFailures {
    /** The driver does not contain this class. */
    private static final String DAMAGED = ".CorruptHFileException";

    private HBaseFailures() {}

    /**
     * @param store its address
     * @param table the table of the request, if there is one
     */
    static PetrichorException of(String store, @Nullable String table, Throwable failed) {
        Throwable cause = cause(failed);
        if (cause instanceof PetrichorException ours) {
            return ours;
        }
        if (cause instanceof AccessDeniedException) {
            return PetrichorException.of(
                    ErrorCode.PERMISSION_DENIED,
                    cause,
                    "the store {store} denied a required permission: {reason}; grant RWXCA on"
                            + " the namespace to the user, or name another user in the address",
                    "reason",
                    firstLine(cause),
                    "store",
                    store);
        }
        if (table != null
                && (cause instanceof TableNotFoundException
                        || cause instanceof NamespaceNotFoundException)) {
            return StoreFailures.noSuchTable(table);
        }
        if (cause instanceof TableNotEnabledException) {
            return StoreFailures.unfit(
                    store, firstLine(cause) + " is disabled; enable it in the HBase shell");
        }
        if (cause instanceof FailedSanityCheckException) {
            return StoreFailures.unfit(
                    store,
                    "it refuses the row's timestamp ("
                            + firstLine(cause)
                            + "); unset hbase.hregion.keyvalue.timestamp.slop.millisecs");
        }
        if (cause instanceof RemoteException remote && remote.getClassName().endsWith(DAMAGED)) {
            return PetrichorException.of(
                    ErrorCode.INTERNAL,
                    cause,
                    "the store {store} has a damaged file: {reason}",
                    "reason",
                    firstLine(cause),
                    "store",
                    store);
        }
        if (isTooLarge(cause)) {
            return PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    cause,
                    "the store {store} rejected a row as too large: {reason}; raise"
                            + " hbase.server.keyvalue.maxsize to its default of 10 MiB",
                    "reason",
                    firstLine(cause),
                    "store",
                    store);
        }
        return StoreFailures.unreachable(store, new IOException(firstLine(cause), cause));
    }

    /** HBase has no specific exception for this. */
    private static boolean isTooLarge(Throwable cause) {
        return cause instanceof DoNotRetryIOException
                && !(cause instanceof DoNotRetryRegionException)
                && firstLine(cause).contains("exceeds limit of");
    }

    /** The cause beneath the driver's wrappers. */
    private static Throwable cause(Throwable failed) {
        Throwable at = failed;
        while (true) {
            Throwable inner = at.getCause();
            if (at instanceof RemoteException remote) {
                Throwable unwrapped = remote.unwrapRemoteException();
                if (unwrapped instanceof RemoteException) {
                    return at;
                }
                at = unwrapped;
            } else if (inner != null
                    && (at instanceof ExecutionException
                            || at instanceof CompletionException
                            || at instanceof RetriesExhaustedException)) {
                at = inner;
            } else {
                return at;
            }
        }
    }

    /** Server messages contain whole stack traces. */
    private static String firstLine(Throwable cause) {
        String message = cause.getMessage();
        if (message == null || message.isBlank()) {
            return cause instanceof TimeoutException
                    ? "no answer in time"
                    : cause.getClass().getSimpleName();
        }
        return message.lines().findFirst().orElse(message);
    }
}
