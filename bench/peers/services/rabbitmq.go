package main

import (
	"context"
	"errors"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

const prefetched = 100

// rabbitMQ has durable queues; a message counts as added when the server has confirmed it, and as done when
// it is acknowledged.
type rabbitMQ struct{ connection *amqp.Connection }

func newRabbitMQ(address string) (server, error) {
	connection, err := amqp.Dial(address)
	return &rabbitMQ{connection}, err
}

// channel opens a channel with confirms, and an empty queue.
func (r *rabbitMQ) channel(queue string) (*amqp.Channel, error) {
	channel, err := r.connection.Channel()
	if err != nil {
		return nil, err
	}
	if err := channel.Confirm(false); err != nil {
		return nil, err
	}
	if _, err = channel.QueueDeclare(queue, true, false, false, false, nil); err != nil {
		return nil, err
	}
	_, err = channel.QueuePurge(queue, false)
	return channel, err
}

func publish(channel *amqp.Channel, queue string) (*amqp.DeferredConfirmation, error) {
	message := amqp.Publishing{DeliveryMode: amqp.Persistent, Body: value}
	return channel.PublishWithDeferredConfirmWithContext(context.Background(), "", queue, false, false, message)
}

func confirmed(confirmation *amqp.DeferredConfirmation) error {
	if !confirmation.Wait() {
		return errors.New("a message was not confirmed")
	}
	return nil
}

func (r *rabbitMQ) prepare(name string, clients int) (operation, error) {
	if name != "queue-add" {
		return nil, unknown(name)
	}
	channels := make([]*amqp.Channel, clients)
	for client := range channels {
		channel, err := r.channel(collectedQueue)
		if err != nil {
			return nil, err
		}
		channels[client] = channel
	}
	return func(client int, _ int64) error {
		confirmation, err := publish(channels[client], collectedQueue)
		if err != nil {
			return err
		}
		return confirmed(confirmation)
	}, nil
}

func (r *rabbitMQ) once(name string, count int) (float64, time.Duration, error) {
	if name != "queue-drain" {
		return 0, 0, unknown(name)
	}
	channel, err := r.channel(drainedQueue)
	if err != nil {
		return 0, 0, err
	}
	defer channel.Close()
	if err := channel.Qos(prefetched, 0, false); err != nil {
		return 0, 0, err
	}
	messages, err := channel.Consume(drainedQueue, "", false, false, false, false, nil)
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	published := make(chan error, 1)
	go func() { published <- r.publishAll(count) }()
	for range count {
		message := <-messages
		if err := message.Ack(false); err != nil {
			return 0, 0, err
		}
	}
	return float64(count), time.Since(began), <-published
}

// publishAll waits for the confirmations of as many messages at once as App Engine's API adds tasks in a call.
func (r *rabbitMQ) publishAll(count int) error {
	channel, err := r.connection.Channel()
	if err != nil {
		return err
	}
	defer channel.Close()
	if err := channel.Confirm(false); err != nil {
		return err
	}
	for from := 0; from < count; from += tasksPerCall {
		waiting := make([]*amqp.DeferredConfirmation, min(tasksPerCall, count-from))
		for i := range waiting {
			if waiting[i], err = publish(channel, drainedQueue); err != nil {
				return err
			}
		}
		for _, confirmation := range waiting {
			if err := confirmed(confirmation); err != nil {
				return err
			}
		}
	}
	return nil
}
