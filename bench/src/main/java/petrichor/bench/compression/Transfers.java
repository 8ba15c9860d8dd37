package petrichor.bench.compression;

import java.io.IOException;

/**
 * Measures transfers between two processes over a link.
 *
 * @param link between them
 * @param sender at its one end
 * @param receiver at its other end
 */
record Transfers(ShapedLink link, TransferPeer sender, TransferPeer receiver) {
    /** Sends until all bytes have arrived, or the time is over; counts the bytes that arrived. */
    TransferSample measure(
            Content content, int megabits, Contender contender, long bytes, double secondsMax)
            throws IOException {
        link.rate(megabits);
        long cpu = sender.cpuNanos() + receiver.cpuNanos();
        receiver.order("receive");
        int port = link.portTowards(Integer.parseInt(receiver.answer("port")[0]));
        sender.order(
                String.join(
                        " ",
                        "send",
                        content.file().toString(),
                        contender.displayName(),
                        link.receiverAddress(),
                        Integer.toString(port),
                        Long.toString(bytes),
                        Long.toString((long) (secondsMax * 1e9))));
        String[] sent = sender.answer("sent");
        long received = Long.parseLong(receiver.answer("received")[0]);
        if (received != Long.parseLong(sent[0])) {
            throw new IllegalStateException(sent[0] + " bytes were sent, " + received + " came");
        }
        long cpuNanos = sender.cpuNanos() + receiver.cpuNanos() - cpu;
        return new TransferSample(
                content.name(),
                megabits,
                contender,
                received,
                Long.parseLong(sent[1]) / 1e9,
                Long.parseLong(sent[2]),
                cpuNanos / 1e9,
                sent[3]);
    }
}
