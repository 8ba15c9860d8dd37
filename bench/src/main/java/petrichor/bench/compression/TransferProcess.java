package petrichor.bench.compression;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.BlockWriter;
import petrichor.jobs.channels.ChannelLimits;
import petrichor.jobs.channels.ChannelToken;
import petrichor.jobs.channels.Exchange;
import petrichor.jobs.channels.InputGate;
import petrichor.jobs.channels.JobControl;
import petrichor.jobs.channels.compression.Level;

/**
 * One end of a measured transfer, in a process of its own that executes one command after the
 * other:
 *
 * <pre>
 * receive                                             answers  port N, then  received BYTES
 * send FILE CONTENDER HOST PORT BYTES NANOS_MAX       answers  sent BYTES NANOS WIRE LEVELS
 * cpu                                                 answers  cpu NANOS
 * </pre>
 *
 * <p>The sender's clock runs from the first block to the receiver's acknowledgment, on a channel of
 * its own, that it has consumed the last.
 */
final class TransferProcess {
    private static final long DATA = 1;
    private static final long DONE = 2;

    private final InetAddress own;
    private final ChannelToken token;

    private TransferProcess(InetAddress own, ChannelToken token) {
        this.own = own;
        this.token = token;
    }

    /**
     * Reads the token from the environment, this end's address from the argument, and commands from
     * standard input.
     */
    public static void main(String[] arguments) throws IOException {
        TransferProcess process =
                new TransferProcess(
                        InetAddress.ofLiteral(arguments[0]),
                        ChannelToken.parse(System.getenv("CHANNEL_TOKEN")));
        BufferedReader orders =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
            String[] order = line.split(" ", -1);
            switch (order[0]) {
                case "receive" -> process.receive();
                case "send" -> process.send(order);
                case "cpu" -> say("cpu " + cpuNanos());
                default -> throw new IllegalArgumentException("unknown command: " + line);
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean)
                        ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private Exchange exchange() {
        return Exchange.open(
                new InetSocketAddress(own, 0),
                token,
                ChannelLimits.DEFAULT,
                new BlockPool(),
                TimeSource.SYSTEM);
    }

    private void receive() {
        try (Exchange exchange = exchange();
                InputGate reader = reader(exchange, DATA)) {
            InputGate addressed = reader(exchange, DONE + 1);
            say("port " + exchange.address().getPort());
            // The sender's first block names the address for the acknowledgment.
            Block where = addressed.next();
            if (where == null) {
                throw new IllegalStateException("the sender did not send its address");
            }
            String[] address =
                    new String(where.array, where.begin, where.length(), StandardCharsets.UTF_8)
                            .split(" ", -1);
            try (BlockWriter done =
                    exchange.writer(
                            DONE,
                            new InetSocketAddress(
                                    InetAddress.ofLiteral(address[0]),
                                    Integer.parseInt(address[1])))) {
                long bytes = 0;
                for (Block block = reader.next(); block != null; block = reader.next()) {
                    bytes += block.length();
                    exchange.pool().give(block);
                }
                done.write(text(exchange, "."));
                done.end();
                addressed.next();
                say("received " + bytes);
            }
        }
    }

    private void send(String[] order) throws IOException {
        byte[] content = Files.readAllBytes(Path.of(order[1]));
        InetSocketAddress to =
                new InetSocketAddress(InetAddress.ofLiteral(order[3]), Integer.parseInt(order[4]));
        long bytes = Long.parseLong(order[5]);
        long nanosMax = Long.parseLong(order[6]);
        try (Exchange exchange = exchange();
                InputGate done = reader(exchange, DONE);
                BlockWriter about = exchange.writer(DONE + 1, to);
                BlockWriter data = exchange.writer(DATA, to, Contender.of(order[2]).model())) {
            about.write(text(exchange, own.getHostAddress() + " " + exchange.address().getPort()));
            long sent = 0;
            int at = 0;
            long begin = System.nanoTime();
            Map<Level, Integer> levels = new EnumMap<>(Level.class);
            while (sent < bytes && System.nanoTime() - begin < nanosMax) {
                Block block = exchange.pool().take();
                at = fill(block, content, at);
                sent += block.length();
                data.write(block);
                levels.merge(data.counters().metrics().level(), 1, Integer::sum);
            }
            data.end();
            done.next();
            long took = System.nanoTime() - begin;
            // Waits for the end of the stream: leaving earlier would break the receiver's
            // acknowledgment.
            done.next();
            about.end();
            long wire = data.counters().metrics().wireBytes();
            say(
                    String.format(
                            Locale.ROOT,
                            "sent %d %d %d %s",
                            sent,
                            took,
                            wire,
                            displayName(levels)));
        }
    }

    private static String displayName(Map<Level, Integer> levels) {
        StringBuilder word = new StringBuilder();
        levels.forEach(
                (level, n) -> word.append(level.displayName()).append(':').append(n).append(';'));
        return word.toString();
    }

    private static InputGate reader(Exchange exchange, long channel) {
        InputGate gate = new InputGate(1, null, new JobControl(), exchange.pool(), false);
        exchange.receive(channel, gate, 0);
        return gate;
    }

    private static Block text(Exchange exchange, String text) {
        Block block = exchange.pool().take();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, block.array, block.end, bytes.length);
        block.end += bytes.length;
        return block;
    }

    /**
     * Fills a block with the repeated content, as in the thesis; returns where the next block
     * starts.
     */
    private static int fill(Block block, byte[] content, int from) {
        int at = from;
        while (block.free() > 0) {
            int some = Math.min(block.free(), content.length - at);
            System.arraycopy(content, at, block.array, block.end, some);
            block.end += some;
            at = (at + some) % content.length;
        }
        return at;
    }
}
