package petrichor.cli.sql;

import java.io.OutputStream;
import java.io.PrintStream;

/**
 * Writes rows as {@code COPY} statements of at most {@link #BLOCK_BYTES} and one row, because each
 * is a transaction when it is restored, whose size a server limits. Confined to one thread.
 */
final class CopyBlocks extends OutputStream {
    static final int BLOCK_BYTES = 4 << 20;

    private final PrintStream out;
    private final String statement;
    private long inBlock;
    private boolean open;

    /**
     * @param statement {@code COPY … FROM stdin;}
     */
    CopyBlocks(PrintStream out, String statement) {
        this.out = out;
        this.statement = statement;
    }

    @Override
    public void write(int one) {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] rows, int from, int count) {
        int start = from;
        for (int i = from; i < from + count; i++) {
            if (!open) {
                out.println(statement);
                open = true;
            }
            inBlock++;
            if (rows[i] == '\n' && inBlock >= BLOCK_BYTES) {
                out.write(rows, start, i + 1 - start);
                start = i + 1;
                end();
            }
        }
        out.write(rows, start, from + count - start);
    }

    /** Ends the last statement. */
    void end() {
        if (open) {
            out.println("\\.");
        }
        open = false;
        inBlock = 0;
    }
}
