package petrichor.sql.h2;

import java.util.function.Function;
import org.h2.command.Command;
import org.h2.result.ResultInterface;
import org.h2.value.Value;
import org.jspecify.annotations.Nullable;
import petrichor.sql.RowIterator;
import petrichor.sql.SqlException;

/** The rows of a query, computed as they are read if it is lazy. Confined to one thread. */
final class CommandRows implements RowIterator {
    private final Command command;
    private final ResultInterface result;
    private final Function<Throwable, SqlException> translation;
    private final Runnable ended;
    private boolean closed;

    CommandRows(
            Command command,
            ResultInterface result,
            Function<Throwable, SqlException> translation,
            Runnable ended) {
        this.command = command;
        this.result = result;
        this.translation = translation;
        this.ended = ended;
    }

    @Override
    public boolean next() {
        if (closed) {
            return false;
        }
        try {
            return result.next();
        } catch (RuntimeException | StackOverflowError failed) {
            throw translation.apply(failed);
        }
    }

    @Override
    public @Nullable Object value(int column) {
        Object value;
        try {
            value = Values.result(result.currentRow()[column]);
        } catch (RuntimeException failed) {
            throw translation.apply(failed);
        }
        boolean padded = result.getColumnType(column).getValueType() == Value.CHAR;
        return padded && value instanceof String text ? text.stripTrailing() : value;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            ended.run();
            result.close();
            command.close();
        }
    }
}
