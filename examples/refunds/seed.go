package main

import (
	"fmt"
	"math/big"
)

// seededStore returns the shop every process starts from. Its refunds are made by the operations the tools use, so the
// seed cannot hold a state that a user could not have reached.
func seededStore() *store {
	s := &store{
		customers: map[string]string{"cus-ada": "Ada", "cus-bo": "Bo", "cus-cem": "Cem"},
		payments: []*payment{
			{ID: "pay-501", CustomerID: "cus-ada", Description: "Walnut desk lamp", Paid: money{12900, "EUR"}},
			{ID: "pay-502", CustomerID: "cus-ada", Description: "Linen curtains, two", Paid: money{8450, "EUR"}},
			{ID: "pay-503", CustomerID: "cus-bo", Description: "Standing desk", Paid: money{64900, "USD"}},
			{ID: "pay-504", CustomerID: "cus-bo", Description: "Tea bowl", Paid: money{3800, "JPY"}},
			{ID: "pay-505", CustomerID: "cus-cem", Description: "Yearly wholesale settlement", Paid: money{maxMinor, "JPY"}},
		},
		requests: map[string]string{},
	}
	original := destination{Method: "original_payment"}
	must(s.create(request{paymentID: "pay-501", reason: "damaged", total: money{12900, "EUR"}, feePercent: big.NewRat(1, 4),
		lines: []line{{"LAMP-WAL", 1, money{12900, "EUR"}}}, destination: original}))
	must(s.create(request{paymentID: "pay-503", reason: "late", total: money{15000, "USD"}, feePercent: new(big.Rat),
		lines: []line{{"DESK-TOP", 1, money{10000, "USD"}}, {"DESK-LEG", 4, money{5000, "USD"}}}, destination: original}))
	must(s.create(request{paymentID: "pay-504", reason: "not_as_described", total: money{3800, "JPY"}, feePercent: big.NewRat(1, 4),
		lines: []line{{"BOWL-TEA", 1, money{3800, "JPY"}}}, destination: destination{"store_credit", "credit-77"}}))
	must(s.approve("rf-1001"))
	must(s.cancel("rf-1003"))
	must(s.setNote("rf-1001", note{Text: "Photo of the broken shade is on file.", Author: "ida"}))
	return s
}

// must holds the seed to the store's own rules: an error here is a mistake in this file.
func must(_ refund, err error) {
	if err != nil {
		panic(fmt.Sprintf("seed: %v", err))
	}
}
